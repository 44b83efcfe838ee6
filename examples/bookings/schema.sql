CREATE TABLE room (id INT PRIMARY KEY, name VARCHAR, seats INT);
CREATE TABLE booking (room INT, day DATE, guest VARCHAR, PRIMARY KEY (room, day))
  WITH "CACHE_NAME=bookings,CHANGE_FEED=true";
