; A household of our own, in the form of ALFWorld's problems.
(define (problem living_pillows)
(:domain alfred)
(:objects
  agent1 - agent
  Pillow_bar_1 Pillow_bar_2 Pillow_bar_3 Watch_bar_1 - object
  Sofa_bar_1 CoffeeTable_bar_1 SideTable_bar_1 SideTable_bar_2 Shelf_bar_1 Shelf_bar_2 Drawer_bar_1 Drawer_bar_2 Desk_bar_1 - receptacle
  loc_bar_0 loc_bar_1 loc_bar_2 loc_bar_3 loc_bar_4 loc_bar_5 loc_bar_6 loc_bar_7 loc_bar_8 loc_bar_9 - location
  PillowType WatchType - otype
  CoffeeTableType DeskType DrawerType ShelfType SideTableType SofaType - rtype
)
(:init
  (= (total-cost) 0)
  (atLocation agent1 loc_bar_0)
  (receptacleType Sofa_bar_1 SofaType) (receptacleAtLocation Sofa_bar_1 loc_bar_1)
  (receptacleType CoffeeTable_bar_1 CoffeeTableType) (receptacleAtLocation CoffeeTable_bar_1 loc_bar_2)
  (receptacleType SideTable_bar_1 SideTableType) (receptacleAtLocation SideTable_bar_1 loc_bar_3)
  (receptacleType SideTable_bar_2 SideTableType) (receptacleAtLocation SideTable_bar_2 loc_bar_4)
  (receptacleType Shelf_bar_1 ShelfType) (receptacleAtLocation Shelf_bar_1 loc_bar_5)
  (receptacleType Shelf_bar_2 ShelfType) (receptacleAtLocation Shelf_bar_2 loc_bar_6)
  (receptacleType Drawer_bar_1 DrawerType) (receptacleAtLocation Drawer_bar_1 loc_bar_7) (openable Drawer_bar_1)
  (receptacleType Drawer_bar_2 DrawerType) (receptacleAtLocation Drawer_bar_2 loc_bar_8) (openable Drawer_bar_2)
  (receptacleType Desk_bar_1 DeskType) (receptacleAtLocation Desk_bar_1 loc_bar_9)
  (objectType Pillow_bar_1 PillowType) (pickupable Pillow_bar_1) (inReceptacle Pillow_bar_1 SideTable_bar_1) (objectAtLocation Pillow_bar_1 loc_bar_3)
  (objectType Pillow_bar_2 PillowType) (pickupable Pillow_bar_2) (inReceptacle Pillow_bar_2 Shelf_bar_1) (objectAtLocation Pillow_bar_2 loc_bar_5)
  (objectType Pillow_bar_3 PillowType) (pickupable Pillow_bar_3) (inReceptacle Pillow_bar_3 Desk_bar_1) (objectAtLocation Pillow_bar_3 loc_bar_9)
  (objectType Watch_bar_1 WatchType) (pickupable Watch_bar_1) (inReceptacle Watch_bar_1 Drawer_bar_2) (objectAtLocation Watch_bar_1 loc_bar_8)
  (canContain CoffeeTableType PillowType) (canContain CoffeeTableType WatchType)
  (canContain DeskType PillowType) (canContain DeskType WatchType)
  (canContain DrawerType PillowType) (canContain DrawerType WatchType)
  (canContain ShelfType PillowType) (canContain ShelfType WatchType)
  (canContain SideTableType PillowType) (canContain SideTableType WatchType)
  (canContain SofaType PillowType) (canContain SofaType WatchType)
)
(:goal (and
  (exists (?r - receptacle)
    (exists (?o1 - object)
      (and (objectType ?o1 PillowType) (receptacleType ?r SofaType)
           (inReceptacle ?o1 ?r)
           (exists (?o2 - object)
             (and (not (= ?o1 ?o2)) (objectType ?o2 PillowType)
                  (inReceptacle ?o2 ?r))))))
))
)
